-- Arithmetic on ratios over deals: how much (x) of how many (y), summed up over the deals of a group.
--
-- The unit is the deal, so a query that puts cells together sums x and y by deal first:
--   select lineup, players, unnest(share(x, y))
--   from (select lineup, players, deal, sum(stalls) as x, sum(games) as y from deals group by all)
--   group by lineup, players
-- gives value, low and high: the share with its 95% confidence interval. An end that is not known is NULL.
--
-- `case`, never `if`: DuckDB 2.0 stores an `if` in a form that DuckDB 1.5 cannot bind.

-- The normal quantile of 97.5%: all intervals are of 95%, two-sided.
create or replace macro z() as 1.959963984540054::double;

-- The deal of a game: at the same number of players the same deal is the same shuffle, in all cells.
create or replace macro deal(game_id) as game_id // 1000 % 10000000000;

-- Every 16th bit of a mask from bit k on: a sum of up to 65,535 of them has four counts, each in 16 bits.
create or replace macro every_16th(mask, k) as (mask >> k) & 281479271743489::ubigint;

-- A deal of a cell as one number.
create or replace macro cell_deal(cell_id, deal) as cell_id::bigint * 10000000000 + deal;

-- Everything that value and variance of a ratio need: integers that add up over any deals. A deal in which there
-- is nothing to count says nothing.
create or replace macro sums(x, y) as {
  'deals': count(nullif(y, 0)), 'num': coalesce(sum(x::bigint), 0), 'den': coalesce(sum(y::bigint), 0),
  'num2': coalesce(sum(x::bigint * x), 0), 'den2': coalesce(sum(y::bigint * y), 0),
  'numden': coalesce(sum(x::bigint * y), 0)
};

-- The variance of num / den over deals is spread / den^4: integers cancel before anything is divided.
create or replace macro spread(s) as (
  s.num2::hugeint * s.den * s.den - 2 * s.num::hugeint * s.den * s.numden + s.num::hugeint * s.num * s.den2
)::double;

-- Wilson's interval of a share k / n; n need not be whole.
create or replace macro wilson_low(k, n) as case when n > 0 then greatest(0::double, (k / n + z() * z() / (2 * n)
  - z() * sqrt(greatest(0::double, k / n * (1 - k / n) / n) + z() * z() / (4 * n * n))) / (1 + z() * z() / n))
  else 0::double end;
create or replace macro wilson_high(k, n) as case when n > 0 then least(1::double, (k / n + z() * z() / (2 * n)
  + z() * sqrt(greatest(0::double, k / n * (1 - k / n) / n) + z() * z() / (4 * n * n))) / (1 + z() * z() / n))
  else 1::double end;

-- The number of independent trials in which a share of `most` would be known as well as over these deals.
create or replace macro trials(s, most) as case
  when s.den = 0 then 0::double
  when spread(s) = 0 then s.den::double * s.den / s.den2
  else least(1::double, s.num / (most * s.den)) * (1 - least(1::double, s.num / (most * s.den)))
    * most * most * s.den::double ** 4 / spread(s)
end;

-- A share (most = 1), or win points (most = the number of players), from sums.
create or replace macro share_from(s, most) as {
  'value': case when s.den <> 0 then least(most::double, s.num / s.den) end,
  'low': most * wilson_low(least(1::double, s.num / (most * s.den)) * trials(s, most), trials(s, most)),
  'high': most * wilson_high(least(1::double, s.num / (most * s.den)) * trials(s, most), trials(s, most))
};

-- Student's quantile of 97.5%: a list up to 100 degrees of freedom, then an expansion that is exact to 1e-12.
create or replace macro student(freedom) as case
  when freedom < 1 then null
  when freedom <= 100 then [
  12.706204736174694, 4.302652729749462, 3.1824463052837078, 2.7764451051977934, 2.5705818356363146,
  2.4469118511449786, 2.364624251592784, 2.306004135204166, 2.262157162798205, 2.228138851986274,
  2.200985160091639, 2.1788128296672284, 2.1603686564627913, 2.144786687917804, 2.131449545559776,
  2.1199052992212546, 2.1098155778333156, 2.1009220402410382, 2.0930240544083087, 2.085963447265864,
  2.0796138447276795, 2.0738730679040254, 2.0686576104190486, 2.0638985616280245, 2.0595385527532972,
  2.0555294386428735, 2.0518305164802846, 2.0484071417952454, 2.045229642132703, 2.0422724563012378,
  2.039513446396408, 2.0369333434601016, 2.0345152974493383, 2.0322445093177186, 2.030107928250343,
  2.0280940009804502, 2.0261924630291093, 2.0243941639119694, 2.022690920036761, 2.021075390306273,
  2.019540970441376, 2.0180817028184443, 2.016692199227824, 2.0153675744437636, 2.014103388880846,
  2.012895598919429, 2.0117405137297655, 2.010634757624232, 2.0095752371292392, 2.008559112100761,
  2.007583770315836, 2.006646805061688, 2.0057459953178687, 2.0048792881880564, 2.0040447832891455,
  2.003240718847872, 2.002465459291007, 2.0017174841452356, 2.000995378088267, 2.0002978220142604,
  1.999623584994939, 1.9989715170333788, 1.998340542520741, 1.997729654317693, 1.9971379083920038,
  1.9965644189523117, 1.996008354025296, 1.9954689314298435, 1.9949454151072374, 1.994437111771186,
  1.9939433678456255, 1.9934635666618719, 1.992997125889855, 1.992543495180932, 1.9921021540022417,
  1.9916726096446642, 1.9912543953883846, 1.9908470688116906, 1.9904502102301285, 1.990063421254446,
  1.9896863234569029, 1.989318557136572, 1.9889597801751624, 1.9886096669757083, 1.9882679074772216,
  1.98793420623902, 1.9876082815890708, 1.9872898648311692, 1.986978699506281, 1.9866745407037683,
  1.9863771544186177, 1.98608631695113, 1.9858018143458227, 1.985523441866604, 1.9852510035054978,
  1.984984311522457, 1.9847231860139845, 1.9844674545084815, 1.9842169515864174, 1.9839715185235518
  ][freedom::int]
  else z() + (2.372271230298562 + (2.8224986157396112 + (2.555849679507722 + (1.5895340533938225
    + 0.7328982119816051 / freedom) / freedom) / freedom) / freedom) / freedom
end::double;

-- The variance of num / den, with the correction for having estimated it from these deals; NULL from one deal.
create or replace macro variance_from(s) as
  case when s.deals > 1 and s.den <> 0 then spread(s) / s.den::double ** 4 * s.deals / (s.deals - 1) end;

-- An amount per game or seat, from sums.
create or replace macro mean_from(s) as {
  'value': s.num / nullif(s.den, 0),
  'low': s.num / nullif(s.den, 0) - student(s.deals - 1) * sqrt(variance_from(s)),
  'high': s.num / nullif(s.den, 0) + student(s.deals - 1) * sqrt(variance_from(s))
};

-- The same, as aggregates over the rows of a group, one row per deal.
create or replace macro share(x, y) as share_from(sums(x, y), 1);
create or replace macro points(x, y, players) as share_from(sums(x, y), players);
create or replace macro average(x, y) as mean_from(sums(x, y));

-- Two ratios on common deals: one row per deal that both have played, x of y here and u of v there.
create or replace macro common(x, y, u, v) as {
  'deals': count(case when y <> 0 or v <> 0 then 1 end), 'x': sum(x::bigint), 'y': sum(y::bigint), 'u': sum(u::bigint), 'v': sum(v::bigint),
  'xu': sum(x::bigint * u), 'xv': sum(x::bigint * v), 'yu': sum(y::bigint * u), 'yv': sum(y::bigint * v)
};

-- The covariance of num / den of two groups that share deals; 0 where they have none in common.
create or replace macro common_spread(c) as (
  c.xu::hugeint * c.y * c.v - c.x::hugeint * c.yu * c.v - c.u::hugeint * c.xv * c.y + c.x::hugeint * c.u * c.yv
)::double;
create or replace macro covariance_from(c, own, base) as case
  when c.deals > 1 and c.y <> 0 and c.v <> 0
  then common_spread(c) / (c.y::double * c.v) * c.deals / (c.deals - 1) / (own.den::double * base.den)
  else 0::double
end;

-- A quotient a / b of two estimates by Fieller, never below 0; open-ended (NULL) if b may be 0.
create or replace macro fieller(a, b, var_a, var_b, cov, t) as {
  'value': a / nullif(b, 0),
  'low': case when b * b - t * t * var_b > 0 then greatest(0::double, (a * b - t * t * cov - sqrt(greatest(0::double,
    (a * b - t * t * cov) ** 2 - (b * b - t * t * var_b) * (a * a - t * t * var_a))))
    / (b * b - t * t * var_b)) end,
  'high': case when b * b - t * t * var_b > 0 then (a * b - t * t * cov + sqrt(greatest(0::double,
    (a * b - t * t * cov) ** 2 - (b * b - t * t * var_b) * (a * a - t * t * var_a))))
    / (b * b - t * t * var_b) end
};

-- num / den of one group as a multiple of that of another, from the sums of both and those of common deals.
create or replace macro multiple_from(own, base, c) as fieller(
  own.num / nullif(own.den, 0), base.num / nullif(base.den, 0), variance_from(own), variance_from(base),
  covariance_from(c, own, base), student(least(own.deals, base.deals) - 1)
);

-- num / den of one group less that of another over the same deals.
create or replace macro difference_variance(own, base, c) as case when c.deals > 1 and c.y <> 0 and c.v <> 0 then greatest(0::double,
  spread(own) / c.y::double ** 4 + spread(base) / c.v::double ** 4 - 2 * common_spread(c) / (c.y::double * c.v) ** 2
) * c.deals / (c.deals - 1) end;
create or replace macro difference_from(own, base, c) as {
  'value': own.num / nullif(own.den, 0) - base.num / nullif(base.den, 0),
  'low': own.num / nullif(own.den, 0) - base.num / nullif(base.den, 0)
    - student(c.deals - 1) * sqrt(difference_variance(own, base, c)),
  'high': own.num / nullif(own.den, 0) - base.num / nullif(base.den, 0)
    + student(c.deals - 1) * sqrt(difference_variance(own, base, c))
};

-- What a pair does beyond both alone: one row per deal that all four cells have played, with both (w), with
-- each alone (x, y) and with neither (z). As a difference: sums of w - x - y + z, of d; as logarithms of means:
-- the sums of each and of all products.
create or replace macro four(w, x, y, z, d) as {
  'sums': sums(w - x - y + z, d), 'w': sum(w::bigint), 'x': sum(x::bigint), 'y': sum(y::bigint), 'z': sum(z::bigint),
  'ww': sum(w::bigint * w), 'xx': sum(x::bigint * x), 'yy': sum(y::bigint * y), 'zz': sum(z::bigint * z),
  'wx': sum(w::bigint * x), 'wy': sum(w::bigint * y), 'wz': sum(w::bigint * z),
  'xy': sum(x::bigint * y), 'xz': sum(x::bigint * z), 'yz': sum(y::bigint * z)
};
create or replace macro log_beyond(f) as ln(f.w) - ln(f.x) - ln(f.y) + ln(f.z);
create or replace macro relative(product, one, two, deals) as
  (product::hugeint * deals - one::hugeint * two)::double / (one::double * two);
create or replace macro log_beyond_error(f) as sqrt(greatest(0::double, relative(f.ww, f.w, f.w, f.sums.deals)
  + relative(f.xx, f.x, f.x, f.sums.deals) + relative(f.yy, f.y, f.y, f.sums.deals) + relative(f.zz, f.z, f.z, f.sums.deals)
  + 2 * (relative(f.wz, f.w, f.z, f.sums.deals) + relative(f.xy, f.x, f.y, f.sums.deals) - relative(f.wx, f.w, f.x, f.sums.deals)
    - relative(f.wy, f.w, f.y, f.sums.deals) - relative(f.xz, f.x, f.z, f.sums.deals) - relative(f.yz, f.y, f.z, f.sums.deals))) / (f.sums.deals - 1));

-- The two-sided p-value of a difference from its variance over deals; NULL below 10 deals, or where nothing varies.
-- Wallace's normal deviate of Student's t, and Sampford's upper bound of the normal tail: never too
-- small, at most 6% too large.
create or replace macro normal_deviate(square, freedom) as
  (8 * freedom + 1) / (8 * freedom + 3) * sqrt(freedom * ln(1 + square / freedom));
create or replace macro tails(deviate) as
  least(1::double, 8 * exp(-deviate * deviate / 2) / sqrt(2 * pi()) / (3 * deviate + sqrt(deviate * deviate + 8)));
create or replace macro two_sided(difference, variance, deals) as
  case when deals >= 10 and variance > 0 then tails(normal_deviate(difference * difference / variance, deals - 1)) end;

-- What looking at many things costs at worst, whatever their dependence (Benjamini and Yekutieli): 1 + 1/2 + ... + 1/tests.
create or replace macro harmonic(tests) as list_sum(list_transform(range(1, tests + 1), lambda k: 1 / k));
