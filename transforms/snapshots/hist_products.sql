{% snapshot hist_products %}
{{ config(unique_key=['shop_id', 'id'], strategy='check', check_cols=['fingerprint']) }}
{{ versioned(ref('stg_products'), ['seen_at']) }}
{% endsnapshot %}
